/** An abort signal that is made when somebody asks for it: most handlers never do, and a signal costs more than a short job. */
export interface Interruption {
  readonly signal: () => AbortSignal;
  readonly fire: (reason: unknown) => void;
  readonly hasFired: () => boolean;
  readonly reason: () => unknown;
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

export const interruption = (): Interruption => {
  let controller: AbortController | undefined;
  let fired: { readonly reason: unknown } | undefined;
  return {
    signal: () => {
      if (controller === undefined) {
        controller = new AbortController();
        if (fired !== undefined) controller.abort(fired.reason);
      }
      return controller.signal;
    },
    fire: (reason) => {
      fired ??= { reason };
      controller?.abort(reason);
    },
    hasFired: () => fired !== undefined,
    reason: () => fired?.reason,
  };
};
