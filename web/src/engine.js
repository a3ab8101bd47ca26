// The engine of a live page in its worker, from the tags that hold it.

const unpacked = new Map();

// The bytes in a tag; a page may start several engines.
function unpack(id) {
  if (!unpacked.has(id)) {
    const node = document.getElementById(id);
    if (!node) {
      throw new Error("this page holds none");
    }
    unpacked.set(id, decompressed(node.textContent).arrayBuffer());
    node.remove();
  }
  return unpacked.get(id);
}

export function toBytes(base64) {
  const raw = atob(base64);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    bytes[i] = raw.charCodeAt(i);
  }
  return bytes;
}

// Decompresses without a request.
function decompressed(base64) {
  const stream = new Blob([toBytes(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}

// Answers go to `listener`, which may change. See worker.js for the messages.
export class Engine {
  constructor(listener = () => {}) {
    this.listener = listener;
  }

  // first: the message that starts it, less the code: {scene, text, files}, or {} for no scene yet.
  async start(first) {
    const [code, wasm] = await Promise.all([unpack("footfall-worker"), unpack("footfall-engine")]);
    this.worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    this.worker.onmessage = ({ data }) => this.listener(data);
    this.worker.onerror = (event) => this.listener({ type: "failed", what: event.message });
    this.post({ type: "start", wasm, ...first });
  }

  post(message) {
    this.worker?.postMessage(message);
  }
}
