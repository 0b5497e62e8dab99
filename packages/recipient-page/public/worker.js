// Keeps the page's own files, so that it opens without its server: what a proof file needs is there then. No answer of an API is ever kept.
const CACHE = 'my-pay';
const PAGES = ['./', './redeem.html'];
const BESIDE = ['./manifest.webmanifest', './icon.svg'];

/** Keeps a page with all files that it names. */
async function keepPage(cache, path) {
  const answer = await fetch(path, { cache: 'no-cache' });
  if (!answer.ok) return;
  await cache.put(path, answer.clone());
  const named = (await answer.text()).match(/\.\/assets\/[^"]+/g) ?? [];
  await cache.addAll([...new Set(named)]);
}

async function keepAll() {
  const cache = await caches.open(CACHE);
  await Promise.all([...PAGES.map((path) => keepPage(cache, path)), cache.addAll(BESIDE)]);
}

const isOwn = ({ method, url }) => {
  const scope = new URL('./', self.location.href);
  const { origin, pathname } = new URL(url);
  return method === 'GET' && origin === scope.origin && pathname.startsWith(scope.pathname);
};

/** Files have their digest in their names, so a kept one is the right one; pages are asked for anew while there is somebody to ask. */
async function answer(request) {
  const cache = await caches.open(CACHE);
  const isFile = new URL(request.url).pathname.includes('/assets/');
  const kept = await cache.match(request, { ignoreSearch: true });
  if (isFile && kept !== undefined) return kept;
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await cache.put(request, fresh.clone());
    return fresh;
  } catch (error) {
    if (kept !== undefined) return kept;
    throw error;
  }
}

self.addEventListener('install', (event) => event.waitUntil(keepAll().then(() => self.skipWaiting())));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (isOwn(event.request)) event.respondWith(answer(event.request));
});
