/** An abort signal that is made when somebody asks for it: most handlers never do, and a signal costs more than a short job. */
export class Interruption {
  private controller: AbortController | undefined = undefined;
  private fired: { readonly reason: unknown } | undefined = undefined;

  signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.fired !== undefined) this.controller.abort(this.fired.reason);
    }
    return this.controller.signal;
  }

  fire(reason: unknown): void {
    this.fired ??= { reason };
    this.controller?.abort(reason);
  }

  hasFired(): boolean {
    return this.fired !== undefined;
  }

  reason(): unknown {
    return this.fired?.reason;
  }
}

/** What a handler's signal says where its claim was taken from it. */
export class ClaimTaken extends Error {
  constructor(
    override readonly name: 'JobCancelled' | 'LeaseLost',
    message: string,
  ) {
    super(message);
  }
}
