/**
 * Replaces shared workers with dedicated workers, one per page, address and name. The browser itself would request the
 * scripts of shared workers, but its own requests never leave the machine. The dedicated worker starts in a separate
 * script that resolves requests against the address of the shared worker.
 */
export const SHARED_WORKERS = `(() => {
  if (!window.SharedWorker) return;
  const { Worker, MessageChannel, Blob, URL: Address, EventTarget, Event, Map, JSON } = window;
  const begin = (base, isModule) => {
    const { importScripts, fetch, URL: Address } = self;
    const { open } = XMLHttpRequest.prototype;
    const whole = (address) => new Address(address, base).href;
    Object.defineProperty(self, 'location', { value: new Address(base) });
    self.onconnect = null;
    self.importScripts = (...addresses) => importScripts.apply(self, addresses.map(whole));
    self.fetch = (input, init) => fetch.call(self, input instanceof Request ? input : whole(input), init);
    XMLHttpRequest.prototype.open = function (method, address, ...more) {
      return open.call(this, method, whole(address), ...more);
    };
    const waiting = [];
    let connect = (port) => waiting.push(port);
    self.addEventListener('message', ({ ports: [port] }) => connect(port));
    const ready = () => {
      connect = (port) => {
        const event = new MessageEvent('connect', { data: '', ports: [port], source: port });
        self.dispatchEvent(event);
        self.onconnect?.(event);
      };
      waiting.forEach(connect);
    };
    const fail = (error) => setTimeout(() => { throw error; });
    if (!isModule) self.importScripts(base);
    return isModule ? import(base).then(ready, fail) : ready();
  };
  const running = new Map();
  window.SharedWorker = class SharedWorker extends EventTarget {
    onerror = null;
    constructor(address, options) {
      super();
      const base = new Address(address, document.baseURI).href;
      const name = typeof options === 'string' ? options : (options?.name ?? '');
      const type = options?.type === 'module' ? 'module' : 'classic';
      const key = JSON.stringify([base, name]);
      if (!running.has(key)) {
        const code = '(' + begin + ')(' + JSON.stringify(base) + ', ' + (type === 'module') + ')';
        const script = Address.createObjectURL(new Blob([code], { type: 'text/javascript' }));
        running.set(key, new Worker(script, { name, type }));
      }
      const worker = running.get(key);
      worker.addEventListener('error', () => {
        const event = new Event('error');
        this.dispatchEvent(event);
        this.onerror?.(event);
      });
      const { port1, port2 } = new MessageChannel();
      this.port = port1;
      worker.postMessage(null, [port2]);
    }
  };
})();`;
