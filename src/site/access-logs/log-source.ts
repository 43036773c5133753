/** A log file, an object of a store, or standard input. */
export interface LogSource {
  /** The path or address, for messages and for the list of read files. */
  readonly name: string;
  /** Changes when the content does, such as size and time; null if unknown. */
  readonly version: string | null;
  /** Whether the file is complete; the last line of an incomplete one may be half written. */
  readonly isFinal: boolean;
  /** The bytes as they are stored, from the one at `from`. */
  open(from: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
}
