/** Lists of a workspace that grow with the years and are read incrementally (docs/ledger.md). */
export type ListName = 'crawls' | 'crawl_over_crawls' | 'data_exports';

/** The stored facts about a record of such a list; times are UTC milliseconds. */
export interface Listed {
  readonly id: string;
  readonly project_id: string | null;
  /** The service's own, an open string. */
  readonly status: string;
  readonly end_reason: string | null;
  readonly link_status: string | null;
  readonly created_at: number | null;
  readonly ended_at: number | null;
  /** Hash of the record as it goes to `raw`; null where no pipeline loads the list. */
  readonly content: string | null;
}

export interface KnownItem extends Listed {
  /** `raw` does not have this yet. */
  readonly pending: boolean;
  /** The service lists it no more; kept until `raw` says so. */
  readonly gone: boolean;
}

export interface KnownList {
  readonly items: ReadonlyMap<string, KnownItem>;
  /** When the list was last read to its end, UTC milliseconds; null: never. */
  readonly swept_at: number | null;
}

export const UNKNOWN_LIST: KnownList = { items: new Map(), swept_at: null };
