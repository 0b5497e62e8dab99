/** Lets whatever else waits have its turn, a page's clicks and frames too. No timer: a browser slows those down in tabs behind others. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
