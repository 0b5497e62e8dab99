import { request } from 'node:http';

/** Sends a body that stands ready; milliseconds from the first byte sent to the last received. Throws if it is not created. */
export function postList(url: string, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(`${url}/api/schedules`, { method: 'POST', headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 201) resolve(performance.now() - begun);
        else reject(new Error(`The registration was answered ${response.statusCode}.`));
      });
    });
    sent.once('error', reject).end(body);
  });
}
