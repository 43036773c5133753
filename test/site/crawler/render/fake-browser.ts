import { EventEmitter } from 'node:events';
import type { Browser } from 'playwright-core';

export const SHOWN = { html: '<p>shown</p>', url: 'https://a.example/', base: 'https://a.example/b/' };

/** A browser without a process: what its tabs were told, and answers that a test may change. */
export class FakeBrowser extends EventEmitter {
  readonly contexts: unknown[] = [];
  readonly sent: [method: string, parameters: Readonly<Record<string, unknown>>][] = [];
  readonly visited: string[] = [];
  readonly pages: EventEmitter[] = [];
  readonly sessions: EventEmitter[] = [];
  closedTabs = 0;
  connected = true;
  shown: Partial<typeof SHOWN> = {};
  /** Whether the page has workers, at each time that it is looked at; then it has none. */
  workers: boolean[] = [];
  frames: readonly string[] = [];
  onGoto = async (_url: string): Promise<void> => {};
  onOpen = async (): Promise<void> => {};

  as(): Browser {
    return this as unknown as Browser;
  }

  /** The times that the page got, in milliseconds of its clock. */
  get budgets(): unknown[] {
    return this.sent.map(([, { budget }]) => budget).filter((budget) => budget !== undefined);
  }

  isConnected(): boolean {
    return this.connected;
  }

  async close(): Promise<void> {
    this.connected = false;
    this.emit('disconnected');
  }

  async newBrowserCDPSession() {
    return {};
  }

  async newContext(options: unknown) {
    this.contexts.push(options);
    await this.onOpen();
    const page = Object.assign(new EventEmitter(), {
      goto: async (url: string) => {
        this.visited.push(url);
        await this.onGoto(url);
      },
      workers: () => (this.workers.shift() ? [{}] : []),
      frames: () => this.frames.map((url) => ({ url: () => url })),
    });
    const cdp = Object.assign(new EventEmitter(), {
      send: async (method: string, parameters: Readonly<Record<string, unknown>> = {}) => {
        this.sent.push([method, parameters]);
        if (parameters.budget === 0) throw new Error('no time is left');
        if (parameters.budget !== undefined)
          setImmediate(() => cdp.emit('Emulation.virtualTimeBudgetExpired'));
        return {
          windowId: 7,
          frameTree: { frame: { id: 'f' } },
          executionContextId: 3,
          result: { value: { ...SHOWN, ...this.shown } },
        };
      },
    });
    this.pages.push(page);
    this.sessions.push(cdp);
    return {
      newPage: async () => page,
      newCDPSession: async () => cdp,
      close: async () => {
        this.closedTabs++;
      },
    };
  }
}
