import { sandboxStores } from './sandbox-stores.ts';
import { storePages } from './store-pages.ts';

const { storeA, storeB } = sandboxStores();
storePages("the sandbox's store_a", storeA);
storePages("the sandbox's store_b", storeB);
