/** A generator of numbers in [0, 1) that gives the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The seed of every generated case: SEED, or one that is always the same. */
export function testSeed(): number {
  return Number(process.env.SEED ?? 20_260_101);
}

/** Are all rounds to be played? The usual run plays some of them, by the kept seed. */
export const ALL_ROUNDS = process.env.ALL_ROUNDS !== undefined;

/** Chooses the rounds of the usual run. A commit changes it, so that rounds that passed here pass on the next machine. */
const KEPT_SEED = 20_261_126;

/** The seed of a test that plays some of its rounds: SEED; else the kept one, or with all rounds the day (UTC), such as 20261123. */
export function roundSeed(): number {
  const unasked = ALL_ROUNDS ? new Date().toISOString().slice(0, 10).replaceAll('-', '') : KEPT_SEED;
  return Number(process.env.SEED ?? unasked);
}
