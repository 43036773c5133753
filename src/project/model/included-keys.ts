import type { Pipeline } from './pipeline.ts';

/** A record of a list with the keys that the pipeline includes; keys that it does not declare are among them. */
export function includedKeys<T extends Readonly<Record<string, unknown>>>(
  record: T,
  { include, exclude }: Pipeline['fields'],
): T {
  const included = namesMatcher(include);
  const excluded = namesMatcher(exclude);
  const kept = Object.entries(record).filter(([key]) => included(key) && !excluded(key));
  return Object.fromEntries(kept) as T;
}

/** Names as written, `*` standing for any run of characters. */
export function namesMatcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern
          .split('*')
          .map((part) => RegExp.escape(part))
          .join('.*')}$`,
        'su',
      ),
  );
  return (name) => expressions.some((expression) => expression.test(name));
}
