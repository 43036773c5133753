/** How many rows a unit has beside those that the units before it had. */
export interface Volume {
  /** The usual number; null where there is none yet. */
  readonly usual: number | null;
  /** Far fewer than usual. */
  readonly isFew: boolean;
}
