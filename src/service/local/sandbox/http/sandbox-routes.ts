import type { MoreRoutes } from '../../http/create-server.ts';
import { controlRoutes } from './control-routes.ts';
import { faultHooks } from './fault-hooks.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { pageRoutes } from './page-routes.ts';
import { RequestLog } from './request-log.ts';
import type { SandboxContext, SandboxParts } from './sandbox-context.ts';
import { storeRoutes } from './store-routes.ts';

/** Data exports and their secrets, pages for people, sign-in, and the handles for tests under `/_sandbox`. */
export function sandboxRoutes(parts: SandboxParts): MoreRoutes {
  const requests = new RequestLog();
  return {
    hooks: (app) => faultHooks(app, { ...parts, requests }),
    api: (api, context) => storeRoutes(api, { ...context, ...parts, requests }),
    others(app, context) {
      const all: SandboxContext = { ...context, ...parts, requests };
      app.register(async (pages) => pageRoutes(pages, all));
      app.register(async (oauth) => oauthRoutes(oauth, all), { prefix: '/oauth' });
      app.register(async (control) => controlRoutes(control, all), { prefix: '/_sandbox' });
    },
  };
}
