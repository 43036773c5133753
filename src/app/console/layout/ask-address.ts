/** The keys of an address of `/ask`, in addition to `param.*`. */
const KEYS = [
  'question',
  'edit',
  'sql',
  'kept',
  'run',
  'filter',
  'in',
  'sort',
  'order',
  'chart',
  'x',
  'y',
  'colour',
];

/** Returns the address of the same question or SQL, with changed keys; null removes one. */
export function askAddress(
  query: URLSearchParams,
  changes: Readonly<Record<string, string | number | null>>,
  path = '/ask',
): string {
  const next = new URLSearchParams(askFields(query).filter(([key]) => !Object.hasOwn(changes, key)));
  for (const [key, value] of Object.entries(changes)) if (value !== null) next.set(key, String(value));
  return `${path}?${next}`;
}

/** Returns the keys of an address with their values, for a form to send them again. */
export function askFields(query: URLSearchParams): [key: string, value: string][] {
  return [...query].filter(
    ([key, value]) => value !== '' && (KEYS.includes(key) || key.startsWith('param.')),
  );
}
