// Servers in containers, where the machine can run them; otherwise one line says why not. They end with the whole run.
import type { StartedTestContainer } from 'testcontainers';
import { endedAtLast } from './left-over.js';

export interface Containers {
  /** Gives its URL. */
  readonly eventStore: (image: string) => Promise<string>;
  readonly postgres: (image: string) => Promise<string>;
}

const START_MS = 180_000;

const kept = <C extends StartedTestContainer>(container: C): C => {
  endedAtLast(() => container.stop());
  return container;
};

const find = async (): Promise<Containers | undefined> => {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stdout.write(`tests on servers in containers: skipped, no container runtime (${reason})\n`);
    return undefined;
  }
  return {
    eventStore: async (image) => {
      const settings = { INSECURE: 'true', MEM_DB: 'true', RUN_PROJECTIONS: 'None' };
      // One vendor, two names of its variables.
      const environment = Object.fromEntries(
        Object.entries(settings).flatMap(([name, value]) => [
          [`EVENTSTORE_${name}`, value],
          ...(image.includes('kurrentdb') ? [[`KURRENTDB_${name}`, value]] : []),
        ]),
      );
      const server = new GenericContainer(image)
        .withEnvironment(environment)
        .withExposedPorts(2113)
        .withWaitStrategy(Wait.forHttp('/health/live', 2113).forStatusCodeMatching((status) => status < 300))
        .withStartupTimeout(START_MS);
      const container = kept(await server.start());
      return `esdb://${container.getHost()}:${container.getMappedPort(2113)}?tls=false`;
    },
    postgres: async (image) => {
      const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
      return kept(
        await new PostgreSqlContainer(image).withStartupTimeout(START_MS).start(),
      ).getConnectionUri();
    },
  };
};

let found: Promise<Containers | undefined> | undefined;

/** Undefined where there is no container runtime. */
export const containers = (): Promise<Containers | undefined> => (found ??= find());
