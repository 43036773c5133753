/** States of ours after which a data export is not taken up again. */
export const OVER: readonly string[] = ['loaded', 'FAILED', 'GONE', 'UNUSABLE'];
