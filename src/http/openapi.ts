// Pieces of OpenAPI documents, made from the schemas of requests and answers.

import { z } from 'zod';

/** A part of the interface, as the document of the server that has it describes it. */
export interface ApiPart {
  readonly paths: Readonly<Record<string, object>>;
  readonly schemas: Readonly<Record<string, z.ZodType>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
}

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

export function openApiOf(
  info: ApiInfo,
  parts: readonly ApiPart[],
): Readonly<Record<string, unknown>> {
  const merged = (piece: (part: ApiPart) => object): object =>
    Object.fromEntries(parts.flatMap((part) => Object.entries(piece(part))));
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    paths: merged(({ paths }) => paths),
    components: {
      schemas: merged(({ schemas }) =>
        Object.fromEntries(
          Object.entries(schemas).map(([name, schema]) => [name, jsonSchema(schema)]),
        ),
      ),
      securitySchemes: merged(({ securitySchemes }) => securitySchemes),
    },
  };
}

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

export function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** A response with a JSON body, described by its schema. */
export function answerOf(schemas: ApiPart['schemas'], name: string): object {
  const description = schemas[name]?.meta()?.description ?? name;
  return { description, content: { 'application/json': { schema: ref(name) } } };
}

export function plain(summary: string, responses: object): object {
  return { summary, responses };
}

const mayBeRepeated: ReadonlySet<number> = new Set([429, 502, 503]);
const retryAfter = { schema: { type: 'integer' }, description: 'Seconds.' };

/** Responses by status, each with the codes that it can have. */
export function refusalsOf<Code extends string>(
  codes: readonly Code[],
  statusOf: Readonly<Record<Code, number>>,
  schema: string,
): object {
  const byStatus = Map.groupBy(codes, (code) => statusOf[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      status,
      {
        description: some.join(', '),
        content: { 'application/json': { schema: ref(schema) } },
        ...(mayBeRepeated.has(status) ? { headers: { 'Retry-After': retryAfter } } : {}),
      },
    ]),
  );
}
