import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import {
  LARGE_BYTES,
  type ParseReply,
  type ParseRequest,
  type ParseThreadData,
  type ParseThreadReply,
} from './parse-messages.ts';

/** The program beside this file, as a source or as it was built. */
const PROGRAM = join(import.meta.dirname, `parse-thread${extname(import.meta.filename)}`);
/** A page of the largest size takes some seconds. */
const LONGEST_PARSE_MS = 60_000;
/** For what is young: by itself it grows to 48 MB. */
const YOUNG_MEMORY_MB = 16;
/** Of all threads for ordinary pages together; each has at least the least. */
const ORDINARY_MEMORY_MB = 96;
const LEAST_MEMORY_MB = 32;
/** Beyond this number, threads would take more memory than a crawl has. */
const MOST_THREADS = 4;
/** Of the one thread for large pages. */
const LARGE_MEMORY_MB = 152;
/** Bytes of the smallest part of a page that is tried. */
const LEAST_PART = 50_000;
const WITHOUT_BODY = { most: 0, rendered: null };

/** Takes the records of a page. The next large page waits until those of a large one are on the disk. */
export type Record = (reply: ParseReply, isLarge: boolean) => Promise<void>;

interface Job {
  readonly request: ParseRequest;
  readonly record: Record;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly isForLarge: boolean;
  /** What is being parsed. */
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Its page took too long. */
  isLate: boolean;
}

/**
 * Parses pages in threads, each one page at a time. Large pages have a thread of their own, one for all, so that the
 * memory of a crawl does not grow with them. A page that ends its thread, or takes longer than a minute, is parsed in part.
 */
export class ParsePool implements AsyncDisposable {
  readonly #data: Omit<ParseThreadData, 'most'>;
  readonly #threads: Thread[] = [];
  readonly #size: number;
  readonly #waiting: Job[] = [];
  readonly #largeWaiting: Job[] = [];
  #isClosed = false;
  /** Pages that wait or are being parsed. */
  pending = 0;

  constructor(data: Omit<ParseThreadData, 'most'>, size: number) {
    this.#data = data;
    this.#size = Math.min(size, MOST_THREADS);
  }

  async parse(request: ParseRequest, record: Record): Promise<void> {
    this.pending++;
    try {
      await new Promise<void>((resolve, reject) => this.#send({ request, record, resolve, reject }));
    } finally {
      this.pending--;
    }
  }

  #send(job: Job, isLarge = sizeOf(job.request) > LARGE_BYTES): void {
    (isLarge ? this.#largeWaiting : this.#waiting).push(job);
    this.#next(isLarge);
  }

  /** Gives what waits to a thread without work. */
  #next(isForLarge: boolean): void {
    const own = this.#threads.filter((one) => one.isForLarge === isForLarge);
    const idle = own.find((one) => one.job === undefined);
    if (idle === undefined && own.length >= (isForLarge ? 1 : this.#size)) return;
    const job = (isForLarge ? this.#largeWaiting : this.#waiting).shift();
    if (job === undefined) return;
    const thread = idle ?? this.#start(isForLarge);
    thread.job = job;
    thread.timer = setTimeout(() => {
      thread.isLate = true;
      void thread.worker.terminate();
    }, LONGEST_PARSE_MS);
    thread.worker.postMessage(job.request);
  }

  #start(isForLarge: boolean): Thread {
    const ordinary = Math.max(LEAST_MEMORY_MB, Math.floor(ORDINARY_MEMORY_MB / this.#size));
    const worker = new Worker(PROGRAM, {
      workerData: { ...this.#data, most: isForLarge ? Number.POSITIVE_INFINITY : LARGE_BYTES },
      resourceLimits: {
        maxOldGenerationSizeMb: isForLarge ? LARGE_MEMORY_MB : ordinary,
        maxYoungGenerationSizeMb: YOUNG_MEMORY_MB,
      },
    });
    const thread: Thread = { worker, isForLarge, job: undefined, timer: undefined, isLate: false };
    worker.on('message', (said: ParseThreadReply) => void this.#answered(thread, said));
    worker.on('error', () => {}); // Its end says the same.
    worker.on('exit', () => this.#ended(thread));
    this.#threads.push(thread);
    return thread;
  }

  async #answered(thread: Thread, said: ParseThreadReply): Promise<void> {
    const { job, isForLarge } = thread;
    clearTimeout(thread.timer);
    if (job === undefined) return;
    if ('error' in said) this.#again(thread, job, said.error);
    else if ('isLarge' in said) this.#send(job, true);
    else {
      const recorded = job.record(said, isForLarge).then(job.resolve, job.reject);
      if (isForLarge) await recorded;
    }
    thread.job = undefined;
    this.#next(isForLarge);
  }

  #ended(thread: Thread): void {
    clearTimeout(thread.timer);
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    if (this.#isClosed) return;
    if (thread.job !== undefined) this.#again(thread, thread.job, 'the thread ended');
    this.#next(thread.isForLarge);
  }

  /**
   * Tries once more: what ended an ordinary thread, in the one for large pages; what failed there, with a part of the
   * page, and at last with the headers alone.
   */
  #again({ isForLarge, isLate }: Thread, job: Job, problem: string): void {
    const { request } = job;
    const { answer } = request;
    if (request.most === 0)
      job.reject(new CrawlhouseError('internal', `the answer of ${answer.url} can't be parsed: ${problem}`));
    else if (!isForLarge) this.#send(job, true);
    else {
      const part = Math.floor((request.most ?? sizeOf(request)) / (isLate ? 8 : 2));
      const isPart = part >= LEAST_PART;
      this.#send(
        {
          ...job,
          request: isPart
            ? { ...request, most: part }
            : { ...request, ...WITHOUT_BODY, answer: { ...answer, body: null } },
        },
        isPart,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      this.#threads.map(({ worker, timer }) => {
        clearTimeout(timer);
        return worker.terminate();
      }),
    );
  }
}

function sizeOf({ answer, rendered }: ParseRequest): number {
  return Math.max(answer.body?.length ?? 0, rendered?.html?.length ?? 0);
}
