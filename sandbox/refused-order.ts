// Says what is wrong with an order: each fault behind the place where it is.

import { z } from 'zod';

export function faultInWords(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.flatMap((issue) => wordsOf(issue, [])).join('; ');
  return error instanceof Error ? error.message : String(error);
}

type Path = readonly PropertyKey[];

function wordsOf(issue: z.core.$ZodIssue, above: Path): string[] {
  const path = [...above, ...issue.path];
  // An order that may have several forms is explained by the faults of all of them.
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const forms = issue.errors.map((form) =>
      form.flatMap((each) => wordsOf(each, path)).join('; '),
    );
    return [[...new Set(forms)].join(', or ')];
  }
  return [path.length === 0 ? issue.message : `${z.core.toDotPath(path)}: ${issue.message}`];
}
