// Caches the page's files. Without the table the page opens from the cache, says so, and reconnects by itself.

const KEPT = "card-table";
const WAIT_MS = 4000;
const FILES = /^(?!.*\/history\/).*(\/|\/phone|\.(html|js|css|svg|png|webmanifest)|\/texts\.json)$/;

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method === "GET" && url.origin === self.location.origin && FILES.test(url.pathname))
    event.respondWith(answer(event.request));
});

async function keep() {
  const { files } = await (await fetch("files.json")).json();
  await (await caches.open(KEPT)).addAll(files);
  await self.skipWaiting();
}

// An answer of the table is newer than the cache, but is not waited for if the cache has the file. It is never cut.
async function answer(request) {
  const kept = await caches.match(request, { ignoreSearch: true });
  const fresh = fetched(request).catch(() => kept ?? Response.error());
  return kept
    ? Promise.race([
        fresh,
        new Promise((done) => {
          setTimeout(() => done(kept), WAIT_MS);
        }),
      ])
    : fresh;
}

async function fetched(request) {
  const fresh = await fetch(request);
  if (fresh.ok && !fresh.redirected) await (await caches.open(KEPT)).put(request, fresh.clone());
  return fresh;
}
