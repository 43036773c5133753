/** What a run needs to know about a unit in the warehouse. */
export interface FormerLoad {
  readonly unit: string;
  /** For content that crawlhouse requests repeatedly; null for crawls and comparisons. */
  readonly content_sha256: string | null;
  /** Whether the published file contains its rows too. */
  readonly published: boolean;
  /** UTC milliseconds. */
  readonly loaded_at: number;
  /** The run that loaded it through a data export; else null. */
  readonly run_id: string | null;
  /** When its crawl or comparison ended, UTC milliseconds; null if it has no end, or none was recorded. */
  readonly source_ended_at: number | null;
  /** A reload failed, so these are its previous rows and it is due. False for a quarantined unit. */
  readonly is_owed: boolean;
}
