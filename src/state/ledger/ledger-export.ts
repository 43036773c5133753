/** A data export that a unit's attempt asked for; its prefix holds unit and attempt (spec-notes.md 21). */
export interface LedgerExport {
  readonly unit: string;
  /** Null until the service's answer is known: a kill may fall between the request and its answer. */
  readonly data_export_id: string | null;
  readonly store: string;
  readonly format: string;
  readonly prefix: string;
  /** The service's own; `loaded` once its rows are in the warehouse. */
  readonly status: string;
  readonly requested_at: string;
  /** The last run that worked on it; null from versions before it was kept. */
  readonly run_id: string | null;
}

/** The data exports of the units' present attempts. */
export interface ExportRecords {
  /** Takes note of the data export of a unit's present attempt. */
  putExport(one: LedgerExport): Promise<void>;
  /** A run takes up what an earlier one asked for. */
  claimExport(unit: string, runId: string): Promise<void>;
  setExportStatus(unit: string, status: string): Promise<void>;
  exportOf(unit: string): Promise<LedgerExport | undefined>;
}
