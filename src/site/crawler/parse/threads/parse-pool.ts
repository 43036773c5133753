import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import {
  LARGE_BYTES,
  type ParseReply,
  type ParseRequest,
  type ParseThreadData,
  type ParseThreadReply,
} from './parse-messages.ts';

/** The program next to this file, as source or built. */
const PROGRAM = join(import.meta.dirname, `parse-thread${extname(import.meta.filename)}`);
/** A page of the largest size takes a few seconds. */
const LONGEST_PARSE_MS = 60_000;
/** Memory for young objects: by itself it grows to 48 MB. */
const YOUNG_MEMORY_MB = 16;
/** Memory of all threads for ordinary pages together; each has at least the minimum. */
const ORDINARY_MEMORY_MB = 96;
const LEAST_MEMORY_MB = 32;
/**
 * The number of pages assigned to an ordinary thread at a time, so that it can parse the next one without waiting.
 */
const AT_ONCE = 2;
/** With more threads, memory would exceed that of a crawl. */
const MOST_THREADS = 4;
/** Memory of the one thread for large pages. */
const LARGE_MEMORY_MB = 152;
/** Bytes of the smallest part of a page that is tried. */
const LEAST_PART = 50_000;
const WITHOUT_BODY = { most: 0, rendered: null };

/** Receives the records of a page. The next large page waits until those of a large one are on the disk. */
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
  /** The pages that are being parsed, and those that are next. */
  readonly jobs: Job[];
  timer: NodeJS.Timeout | undefined;
  /** Parsing its page took too long. */
  isLate: boolean;
}

/**
 * Parses pages in threads, each one page at a time. Large pages share one separate thread, so that the memory of a
 * crawl does not grow with them. A page that ends its thread, or takes longer than a minute, is parsed in part.
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

  constructor(data: Omit<ParseThreadData, 'most'>, size = Math.max(1, availableParallelism() - 1)) {
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

  /** Gives waiting pages to idle threads. */
  #next(isForLarge: boolean): void {
    const own = this.#threads.filter((thread) => thread.isForLarge === isForLarge);
    const waiting = isForLarge ? this.#largeWaiting : this.#waiting;
    const [first] = waiting;
    if (first === undefined) return;
    const idle = own.find(({ jobs }) => jobs.length === 0);
    const isFull = own.length >= (isForLarge ? 1 : this.#size);
    const busy = isForLarge ? undefined : own.find(({ jobs }) => jobs.length < AT_ONCE);
    const thread = idle ?? (isFull ? busy : this.#start(isForLarge));
    if (thread === undefined) return;
    waiting.shift();
    thread.jobs.push(first);
    if (thread.jobs.length === 1) this.#limitTime(thread);
    thread.worker.postMessage(first.request);
  }

  /** Limits the time of the page that is being parsed. */
  #limitTime(thread: Thread): void {
    clearTimeout(thread.timer);
    if (thread.jobs.length === 0) return;
    thread.timer = setTimeout(() => {
      thread.isLate = true;
      void thread.worker.terminate();
    }, LONGEST_PARSE_MS);
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
    const thread: Thread = { worker, isForLarge, jobs: [], timer: undefined, isLate: false };
    worker.on('message', (said: ParseThreadReply) => void this.#answered(thread, said));
    worker.on('error', () => {}); // Its end says the same.
    worker.on('exit', () => this.#ended(thread));
    this.#threads.push(thread);
    return thread;
  }

  async #answered(thread: Thread, said: ParseThreadReply): Promise<void> {
    const { jobs, isForLarge } = thread;
    const [job] = jobs;
    clearTimeout(thread.timer);
    if (job === undefined) return;
    if ('error' in said) this.#again(thread, job, said.error);
    else if ('isLarge' in said) this.#send(job, true);
    else {
      const recorded = job.record(said, isForLarge).then(job.resolve, job.reject);
      if (isForLarge) await recorded;
    }
    jobs.shift();
    this.#limitTime(thread);
    this.#next(isForLarge);
  }

  #ended(thread: Thread): void {
    clearTimeout(thread.timer);
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    if (this.#isClosed) return;
    const [job, ...others] = thread.jobs;
    this.#waiting.unshift(...others);
    if (job !== undefined) this.#again(thread, job, 'the thread ended');
    for (const _ of [thread, ...others]) this.#next(thread.isForLarge);
  }

  /**
   * Tries a page again. A page that ended an ordinary thread is tried in the thread for large pages. A page that failed
   * there is tried in part, and finally with only its headers.
   */
  #again({ isForLarge, isLate }: Thread, job: Job, problem: string): void {
    const { request } = job;
    const { answer } = request;
    if (request.most === 0)
      job.reject(new CrawlhouseError('internal', `the answer of ${answer.url} cannot be parsed: ${problem}`));
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
