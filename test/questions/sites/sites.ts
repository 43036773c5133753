/** A row as the service sends it; a number beyond 2^53 is a bigint. */
export type Row = Readonly<Record<string, unknown>>;

/** What one export brought. */
export interface Dataset {
  /** Fields that the export had, also those that are null on every row. */
  readonly fields: readonly string[];
  readonly rows: readonly Row[];
}

export interface Crawl {
  readonly id: string;
  readonly projectId: string;
  readonly status: string | null;
  readonly endReason: string | null;
  readonly config: { readonly id: string; readonly name: string } | null;
  /** Milliseconds since 1970. */
  readonly endedAt: number | null;
  /** The same; without it, not known. */
  readonly createdAt?: number | null;
  /** Datasets that are loaded, also those without rows. */
  readonly pages?: Dataset;
  readonly links?: Dataset;
  readonly clusters?: Dataset;
  readonly structuredData?: Dataset;
  /** What the crawler requested besides pages. */
  readonly requests?: Dataset;
}

export interface Project {
  readonly id: string;
  /** Null, as the start URL, where the record of the project is not loaded. */
  readonly name: string | null;
  readonly startUrl: string | null;
  /** Lines of the log files, each with the day it was asked for by. */
  readonly logEvents?: Dataset;
  readonly logPagesDays?: Dataset;
  readonly ranking?: Dataset;
}

/** All that a warehouse is made from. */
export interface Sites {
  readonly projects: readonly Project[];
  readonly crawls: readonly Crawl[];
}

/** An export with the fields that its rows have, or with fewer or more. */
export function dataset(
  rows: readonly Row[],
  { without = [], also = [] }: { without?: readonly string[]; also?: readonly string[] } = {},
): Dataset {
  const found = new Set([...rows.flatMap((row) => Object.keys(row)), ...also]);
  const fields = [...found].filter((name) => !without.includes(name));
  const kept = rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name))),
  );
  return { fields, rows: kept };
}

/** Makes pages of a host, with what the service derives of a URL. */
export const pagesOf =
  (host: string) =>
  (path: string, values: Row = {}): Row => {
    const [withoutQuery = ''] = path.split(/[?#]/);
    const first = /^\/[^/]+\//.exec(withoutQuery)?.[0] ?? '/';
    return {
      url: host + path,
      url_host: host.replace(/^.*:\/\//, ''),
      urlpath: withoutQuery,
      url_first_path: first,
      url_has_params: path.includes('?'),
      status_code: 200,
      fetched: true,
      ...values,
    };
  };

export const at = (time: string): number => Date.parse(time);
