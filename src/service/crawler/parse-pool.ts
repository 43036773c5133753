import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CrawlhouseError } from '../../core/errors.ts';
import type { ParseReply, ParseRequest, ParseThreadData } from './parse-messages.ts';

/** The program beside this file, as a source or as it was built. */
const PROGRAM = join(import.meta.dirname, `parse-thread${extname(import.meta.filename)}`);
/** A page of the largest size takes some seconds. */
const LONGEST_PARSE_MS = 60_000;
/** For what is young: by itself it grows to 48 MB. */
const YOUNG_MEMORY_MB = 24;
const THREAD_MEMORY_MB = 512;

interface Job {
  readonly request: ParseRequest;
  readonly resolve: (reply: ParseReply) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** In the order of their requests; the first one is being parsed. */
  readonly jobs: Job[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * Parses pages in threads. A page that ends its thread, or takes longer than a minute, is recorded without its content;
 * the other pages of that thread are parsed by another one.
 */
export class ParsePool implements AsyncDisposable {
  readonly #data: ParseThreadData;
  readonly #threads: Thread[] = [];
  readonly #size: number;
  #isClosed = false;
  /** Pages that wait or are being parsed. */
  pending = 0;

  constructor(data: ParseThreadData, size: number) {
    this.#data = data;
    this.#size = size;
  }

  async parse(request: ParseRequest): Promise<ParseReply> {
    this.pending++;
    try {
      return await new Promise<ParseReply>((resolve, reject) => this.#send({ request, resolve, reject }));
    } finally {
      this.pending--;
    }
  }

  #send(job: Job): void {
    const idle = this.#threads.find(({ jobs }) => jobs.length === 0);
    const thread = idle ?? (this.#threads.length < this.#size ? this.#start() : this.#leastBusy());
    thread.jobs.push(job);
    thread.worker.postMessage(job.request);
    if (thread.jobs.length === 1) this.#watch(thread);
  }

  #leastBusy(): Thread {
    return this.#threads.reduce((least, one) => (one.jobs.length < least.jobs.length ? one : least));
  }

  #start(): Thread {
    const worker = new Worker(PROGRAM, {
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MEMORY_MB },
    });
    const thread: Thread = { worker, jobs: [], timer: undefined };
    worker.on('message', (reply: ParseReply | { readonly error: string }) => this.#answered(thread, reply));
    worker.on('error', () => {}); // Its end says the same.
    worker.on('exit', () => this.#ended(thread));
    this.#threads.push(thread);
    return thread;
  }

  #watch(thread: Thread): void {
    clearTimeout(thread.timer);
    if (thread.jobs.length > 0) thread.timer = setTimeout(() => thread.worker.terminate(), LONGEST_PARSE_MS);
  }

  #answered(thread: Thread, reply: ParseReply | { readonly error: string }): void {
    const job = thread.jobs.shift();
    this.#watch(thread);
    if (job === undefined) return;
    if ('error' in reply) this.#withoutBody(job, reply.error);
    else job.resolve(reply);
  }

  #ended(thread: Thread): void {
    clearTimeout(thread.timer);
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    if (this.#isClosed) return;
    const [culprit, ...others] = thread.jobs;
    if (culprit !== undefined) this.#withoutBody(culprit, 'the thread ended');
    for (const job of others) this.#send(job);
  }

  /** Tries once more with nothing but the headers. */
  #withoutBody(job: Job, problem: string): void {
    const { answer, facts } = job.request;
    if (answer.body !== null) this.#send({ ...job, request: { answer: { ...answer, body: null }, facts } });
    else
      job.reject(new CrawlhouseError('internal', `the answer of ${answer.url} can't be parsed: ${problem}`));
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
