interface Sentences {
  /** The row of the table in CONTRIBUTING.md that names the files. */
  readonly adds: string;
  /** What to do about a name that is expected and not there: it names the file to edit. */
  readonly missing: (name: string) => string;
  /** What to do about a name that is there and not expected. */
  readonly extra: (name: string) => string;
}

/** What two lists lack of each other, as sentences that name the file to edit. */
export function gaps(expected: Iterable<string>, actual: Iterable<string>, sentences: Sentences): string[] {
  const wanted = new Set(expected);
  const present = new Set(actual);
  return [
    ...[...wanted.difference(present)].sort().map(sentences.missing),
    ...[...present.difference(wanted)].sort().map(sentences.extra),
  ];
}
