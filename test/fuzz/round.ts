import { Coverage } from './coverage.ts';
import { Inputs } from './inputs.ts';
import { type Check, Fault, type Target, type Verdict } from './target.ts';

/** Cases between two looks at the coverage. */
const BATCH = 32;
/** The part of a round that is guided: coverage makes each case slower. */
const GUIDED = 0.3;
/** Different faults of a round that are told. */
const MOST_FINDINGS = 12;
/** Tries to make a found input shorter. */
const SHORTENINGS = 400;

export interface Finding {
  readonly target: string;
  /** The kind of error, alike for inputs that meet the same fault. */
  readonly signature: string;
  readonly error: string;
  readonly input: Uint8Array;
}

export interface Totals {
  readonly target: string;
  cases: number;
  taken: number;
  /** Blocks of code that ran in guided cases. */
  blocks: number;
  /** Inputs that reached new code. */
  fresh: number;
  seconds: number;
}

export interface RoundOptions {
  readonly seed: number;
  readonly cases: number;
  /** Milliseconds since 1970 at which it ends. */
  readonly until: number;
  readonly kept: readonly Buffer[];
  readonly isGuided: boolean;
  /** Is told before each case. */
  readonly onCase: (input: Buffer) => void;
  readonly onFinding: (finding: Finding) => void;
  /** Is told of inputs that reached new code. */
  readonly onFresh: (input: Buffer) => void;
}

/** Plays cases of a target until their number or the time is reached. */
export async function playRound(target: Target, options: RoundOptions): Promise<Totals> {
  const began = performance.now();
  const opened = await target.open();
  const round = new Round(target, opened.check, options);
  try {
    await round.play();
  } finally {
    await opened.close?.();
  }
  round.totals.seconds = (performance.now() - began) / 1000;
  return round.totals;
}

class Round {
  readonly totals: Totals;
  readonly #target: Target;
  readonly #check: Check;
  readonly #options: RoundOptions;
  readonly #inputs: Inputs;
  readonly #seen = new Set<string>();
  readonly #found = new Set<string>();

  constructor(target: Target, check: Check, options: RoundOptions) {
    this.totals = { target: target.name, cases: 0, taken: 0, blocks: 0, fresh: 0, seconds: 0 };
    this.#target = target;
    this.#check = check;
    this.#options = options;
    this.#inputs = new Inputs(target, options.kept, options.seed);
  }

  get #isOver(): boolean {
    return this.totals.cases >= this.#options.cases || Date.now() >= this.#options.until;
  }

  async play(): Promise<void> {
    if (this.#options.isGuided) await this.#guided();
    while (!this.#isOver) await this.#case(this.#inputs.next());
  }

  /** The first part of the round: inputs that reach new code are changed further, also in the rest of it. */
  async #guided(): Promise<void> {
    const until = Date.now() + (this.#options.until - Date.now()) * GUIDED;
    await using coverage = await Coverage.start();
    await coverage.take();
    while (!this.#isOver && Date.now() < until && this.totals.cases < this.#options.cases * GUIDED) {
      const inputs: Buffer[] = [];
      while (inputs.length < BATCH && !this.#isOver) {
        const input = this.#inputs.next();
        inputs.push(input);
        await this.#case(input);
      }
      if ((await coverage.take()).some((block) => !this.#seen.has(block)))
        for (const input of inputs) await this.#keepIfNew(input, coverage);
    }
    this.totals.blocks = this.#seen.size;
  }

  async #keepIfNew(input: Buffer, coverage: Coverage): Promise<void> {
    await this.#judge(input);
    const blocks = await coverage.take();
    if (!blocks.some((block) => !this.#seen.has(block))) return;
    for (const block of blocks) this.#seen.add(block);
    if (!this.#inputs.add(input)) return;
    this.totals.fresh++;
    this.#options.onFresh(input);
  }

  async #case(input: Buffer): Promise<void> {
    this.totals.cases++;
    this.#options.onCase(input);
    const outcome = await this.#judge(input);
    if (outcome === 'taken') this.totals.taken++;
    if (outcome === 'taken' || outcome === 'refused') return;
    if (this.#found.size >= MOST_FINDINGS) return;
    const signature = signatureOf(outcome);
    if (this.#found.has(signature)) return;
    this.#found.add(signature);
    const shortest = await this.#shortened(input, signature);
    this.#options.onFinding({
      target: this.#target.name,
      signature,
      error: outcome instanceof Error ? (outcome.stack ?? outcome.message) : String(outcome),
      input: shortest,
    });
  }

  /** The verdict on an input, or what is wrong. */
  async #judge(input: Buffer): Promise<unknown> {
    const before = process.threadCpuUsage();
    let outcome: unknown;
    try {
      outcome = await judge(this.#check, input);
    } catch (error) {
      outcome = error ?? new Error(`it threw ${String(error)}`);
    }
    const { user, system } = process.threadCpuUsage(before);
    const seconds = (user + system) / 1e6;
    if (seconds > (this.#target.seconds ?? 2))
      return new Fault('it is slow', `it took ${seconds.toFixed(1)} s`);
    return outcome;
  }

  /** A shorter input that meets the same fault. */
  async #shortened(input: Buffer, signature: string): Promise<Buffer> {
    let shortest = input;
    let size = input.length >> 1;
    for (let left = signature === 'it is slow' ? 0 : SHORTENINGS; left > 0 && size > 0; ) {
      let isShorter = false;
      for (let at = 0; at < shortest.length && left > 0; at += size) {
        const candidate = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + size)]);
        left--;
        this.#options.onCase(candidate);
        const outcome = await this.#judge(candidate);
        if (outcome === 'taken' || outcome === 'refused' || signatureOf(outcome) !== signature) continue;
        shortest = candidate;
        isShorter = true;
        at -= size;
      }
      if (!isShorter) size >>= 1;
    }
    return shortest;
  }
}

/** Judges one input; throws what is wrong. */
export async function judge(check: Check, input: Buffer): Promise<Verdict> {
  return await check(Buffer.from(input), new AbortController().signal);
}

/** What an error is about, without what differs from input to input. */
function signatureOf(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${typeof error}`;
  if (error instanceof Fault) return error.what;
  const said = error.message
    .replaceAll(/"(?:[^"\\]|\\.)*"?|'[^']*'?|`[^`]*`?/g, '…')
    .replaceAll(/\d+(\.\d+)?/g, 'N')
    .slice(0, 70);
  const frame = /\/((?:src|node_modules|test\/fuzz)\/[^\s()]+?):\d+/.exec(error.stack ?? '')?.[1] ?? '';
  return `${error.name} ${said} ${frame}`;
}
