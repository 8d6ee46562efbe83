// Where traces go and which are kept, by the standard environment variables of OpenTelemetry.

import { OutriderError } from './errors.ts';

export interface TracingSettings {
  /** Takes spans as JSON of OTLP/HTTP. */
  readonly url: string;
  /** They may hold a secret: never printed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly serviceName: string;
  /** More attributes of the resource. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
}

export interface Sampling {
  /** Whether a caller that says so decides. */
  readonly asksCaller: boolean;
  /** The share of the other traces that is kept, 0 to 1. */
  readonly ratio: number;
}

/** What the environment says of it, as far as it is given. */
export interface TracingVariables {
  readonly endpoint?: string | undefined;
  readonly tracesEndpoint?: string | undefined;
  readonly headers?: string | undefined;
  readonly tracesHeaders?: string | undefined;
  readonly protocol?: string | undefined;
  readonly timeoutMs: number;
  readonly serviceName?: string | undefined;
  readonly resourceAttributes?: string | undefined;
  readonly sampler?: string | undefined;
  readonly samplerArg?: string | undefined;
  readonly exporter?: string | undefined;
  readonly sdkDisabled?: string | undefined;
}

/**
 * Undefined when nothing is to be traced. Only then a mistake in these variables does not matter: other programs of the
 * machine may be what they are for.
 */
export function tracingSettingsOf(given: TracingVariables): TracingSettings | undefined {
  if (given.sdkDisabled?.toLowerCase() === 'true') return undefined;
  if (given.exporter?.toLowerCase() === 'none') return undefined;
  const url = urlOf(given);
  if (url === undefined) return undefined;
  requireProtocol(given.protocol);
  const { 'service.name': named, ...attributes } = pairsOf(
    'OTEL_RESOURCE_ATTRIBUTES',
    given.resourceAttributes,
  );
  return {
    url,
    headers: {
      ...pairsOf('OTEL_EXPORTER_OTLP_HEADERS', given.headers),
      ...pairsOf('OTEL_EXPORTER_OTLP_TRACES_HEADERS', given.tracesHeaders),
    },
    timeoutMs: given.timeoutMs,
    serviceName: given.serviceName ?? named ?? 'outrider',
    attributes,
    sampling: samplingOf(given),
  };
}

function urlOf(given: TracingVariables): string | undefined {
  const whole = given.tracesEndpoint;
  const base = given.endpoint;
  const [name, text] =
    whole === undefined
      ? ['OTEL_EXPORTER_OTLP_ENDPOINT', base]
      : ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', whole];
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw fault(`${name} must be an http:// or https:// address`, 'such as http://127.0.0.1:4318');
  }
  if (whole !== undefined) return url.href;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

// Whoever takes OTLP over HTTP takes JSON as well.
function requireProtocol(protocol: string | undefined): void {
  if (protocol === undefined || protocol === 'http/json' || protocol === 'http/protobuf') return;
  throw fault(
    'OTEL_EXPORTER_OTLP_PROTOCOL must be http/json or http/protobuf: traces go over HTTP, as JSON',
    'name the port of the collector that takes OTLP over HTTP, as a rule 4318; or set OTEL_TRACES_EXPORTER=none',
  );
}

function samplingOf(given: TracingVariables): Sampling {
  const name = given.sampler ?? 'parentbased_always_on';
  const [, parent, root] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? [];
  if (root === undefined) {
    throw fault(
      'OTEL_TRACES_SAMPLER is not known',
      'there are always_on, always_off, traceidratio, and each of these after parentbased_',
    );
  }
  const asksCaller = parent !== undefined;
  if (root !== 'traceidratio') return { asksCaller, ratio: root === 'always_on' ? 1 : 0 };
  const ratio = Number(given.samplerArg ?? '1');
  if (ratio >= 0 && ratio <= 1) return { asksCaller, ratio };
  throw fault('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1', 'such as 0.1');
}

/** `name=value` with commas between; values are escaped as in an address. */
function pairsOf(variable: string, text = ''): Record<string, string> {
  const entries = text.split(',').filter((each) => each.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(entry) ?? [];
      try {
        if (name !== '') return [name, decodeURIComponent(value.trim())];
      } catch {
        // told below
      }
      // Not quoted: it may hold a secret.
      throw fault(`${variable} must be name=value, with commas between`, 'write %2C for a comma');
    }),
  );
}

function fault(message: string, hint: string): OutriderError {
  return new OutriderError('configuration', message, { hint });
}
