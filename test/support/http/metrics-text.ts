// Reads the text format of Prometheus, as strictly as Prometheus does.

export interface ReadMetric {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ReadSample[];
}

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const head = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/;
const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const pair = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/y;

/** The metrics by name. Throws where Prometheus would refuse the text. */
export function readMetricsText(text: string): Map<string, ReadMetric> {
  const found = new Map<string, { help: string; type: string; samples: ReadSample[] }>();
  const seen = new Set<string>();
  let current = '';
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed');
  for (const each of text.trimEnd().split('\n')) {
    const [, kind, named = '', words = ''] = head.exec(each) ?? [];
    if (kind === 'HELP') {
      if (found.has(named)) throw new Error(`${named} comes twice`);
      found.set(named, { help: words, type: '', samples: [] });
      current = named;
    }
    const metric = found.get(current);
    if (metric === undefined) throw new Error(`no metric for ${each}`);
    if (kind === 'TYPE') metric.type = words;
    if (kind !== undefined) continue;
    const [, name = '', labels = '', value = ''] = line.exec(each) ?? [];
    const suffix = metric.type === 'histogram' ? /^(?:_bucket|_sum|_count)$/ : /^$/;
    if (!name.startsWith(current) || !suffix.test(name.slice(current.length))) {
      throw new Error(`${each} does not belong to ${current}`);
    }
    const key = `${name}{${labels}}`;
    if (seen.has(key)) throw new Error(`${key} comes twice`);
    seen.add(key);
    metric.samples.push({ name, labels: labelsIn(labels), value: numberIn(value) });
  }
  return found;
}

function labelsIn(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  pair.lastIndex = 0;
  while (pair.lastIndex < text.length) {
    const [, name = '', value] = pair.exec(text) ?? [];
    if (value === undefined || name in labels) throw new Error(`labels cannot be read: ${text}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
  }
  return labels;
}

function numberIn(text: string): number {
  const value = text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
  if (Number.isNaN(value)) throw new Error(`not a number: ${text}`);
  return value;
}

/** The value with these labels; undefined when there is none. */
export function valueIn(
  metrics: ReadonlyMap<string, ReadMetric>,
  metric: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = metrics.get(metric)?.samples ?? [];
  return samples.find(
    (each) =>
      each.name === metric &&
      Object.entries(labels).every(([name, value]) => each.labels[name] === value),
  )?.value;
}
