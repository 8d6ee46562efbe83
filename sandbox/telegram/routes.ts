// The paths of the API: /bot<token>/<method> and /file/bot<token>/<path>.

export interface Route {
  readonly token: string;
  readonly rest: string;
  readonly isFile: boolean;
}

/** Undefined when there is nothing at the path. */
export function routeOf(path: string): Route | undefined {
  const [, file, token, rest] = /^\/(file\/)?bot([^/]*)(?:\/test)?\/(.+)$/.exec(path) ?? [];
  if (token === undefined || rest === undefined) return undefined;
  return { token, rest, isFile: file !== undefined };
}
