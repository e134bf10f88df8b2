/** The shape of every decision: a pure answer to a command, and the fold of what was answered before. */
import type { Either } from 'fp-ts/lib/Either.js';

export interface Decider<Command, State, Event, Rejection, Impossible> {
  readonly initial: State;
  readonly decide: (command: Command, state: State) => Either<Rejection, readonly Event[]>;
  readonly evolve: (state: State, event: Event) => Either<Impossible, State>;
}
