/** What an engine says of a statement that failed: the `cause` of a CrawlhouseError. */
export abstract class EngineFailure extends Error {
  /** Whether the values that were read caused it, not the statement or the machine. */
  abstract readonly isOfValues: boolean;
  /** Whether the statement took longer than it may. */
  abstract readonly isTimeLimit: boolean;
}
