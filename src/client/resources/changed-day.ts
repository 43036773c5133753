/** A day of a project's dated data that was added or changed. */
export interface ChangedDay {
  readonly project_id: string;
  readonly kind: 'log_monitoring' | 'ranking_performance';
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** The datasets that were loaded with the current state of the day. */
  readonly loaded_by: readonly string[];
}

/** A range of days, from inclusive to exclusive, that a dataset was loaded with. */
export interface LoadedDays {
  readonly dataset: string;
  readonly project_id: string;
  readonly from: string;
  readonly to: string;
}
