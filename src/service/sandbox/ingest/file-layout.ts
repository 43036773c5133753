/** How the lines of an ingest file are to be read. */
export interface FileLayout {
  /** `seed` where a file holds URLs and nothing else. */
  readonly kind: 'ingest' | 'seed';
  readonly delimiter: string;
  readonly hasHeader: boolean;
}

const HEADER = /^("url"|url)(?:([,;\t]).*)?$/;

/**
 * The layout that the first line of a file tells: its first column is `url`, and what follows it is the delimiter. A
 * list of URLs needs no header.
 */
export function fileLayout(firstLine: string): FileLayout | undefined {
  const line = firstLine.trimEnd();
  const [header, , delimiter] = HEADER.exec(line) ?? [];
  if (header !== undefined)
    return {
      kind: delimiter === undefined ? 'seed' : 'ingest',
      delimiter: delimiter ?? ',',
      hasHeader: true,
    };
  // URLs may hold commas and semicolons, but no tabs.
  return isCrawlable(line) ? { kind: 'seed', delimiter: '\t', hasHeader: false } : undefined;
}

/** Whether a text is an absolute URL that can be crawled. */
export function isCrawlable(text: string): boolean {
  return /^https?:\/\/[^\s"]+$/i.test(text) && URL.canParse(text);
}
