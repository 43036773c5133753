import { sandboxStores } from '../stores/sandbox-stores.ts';
import { storePages } from '../stores/store-pages.ts';

const { storeA, storeB } = sandboxStores();
storePages("the sandbox's store_a", storeA);
storePages("the sandbox's store_b", storeB);
