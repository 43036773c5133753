/** A log file, an object of a store, or standard input. */
export interface LogSource {
  /** The path or address, for people and for the list of what was read. */
  readonly name: string;
  /** Changes when the content does, such as size and time; null where nothing tells it. */
  readonly version: string | null;
  /** Whether nothing is added to it any more; the last line of another one may be half written. */
  readonly isFinal: boolean;
  /** The bytes as they are stored, from the one at `from`. */
  open(from: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
}
