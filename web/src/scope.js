// Listeners that end together: those that are added while something is made, and later by what it
// draws when it is first seen. A live page makes its blocks anew for every run.

let current = null;

export class Scope {
  constructor() {
    this.ends = [];
  }

  // What is registered while this runs belongs to the scope.
  run(make) {
    const before = current;
    current = this;
    try {
      return make();
    } finally {
      current = before;
    }
  }

  end() {
    this.ends.splice(0).forEach((end) => end());
  }
}

// Calls end() when the scope ends that is current now; returns end.
export function untilEnd(end) {
  current?.ends.push(end);
  return end;
}

// A function that runs within the scope that is current now.
export function keepScope(make) {
  const scope = current;
  return scope ? () => scope.run(make) : make;
}
