/** The right of one process to fire the schedules of a project, on whatever machine it is. */
export interface SchedulerLease extends AsyncDisposable {
  /** Aborts with `lease_lost` once another process has taken over. */
  readonly lost: AbortSignal;
  /** The stored state of the project's schedulers; null at first. */
  readState(): Promise<string | null>;
  /** @throws CrawlhouseError `lease_lost` */
  writeState(text: string): Promise<void>;
}

export interface SchedulerLeaseOptions {
  /** Called once, with the holder that this process waits for. Absent: it does not wait. */
  readonly onWait?: (holder: string) => void;
}
