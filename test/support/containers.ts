// Servers in containers, where the machine can run them; otherwise one line says why not.
import type { StartedTestContainer } from 'testcontainers';

export interface Containers {
  /** Gives its URL. */
  readonly eventStore: (image: string) => Promise<string>;
  readonly postgres: (image: string) => Promise<string>;
  readonly stopAll: () => Promise<void>;
}

const START_MS = 180_000;

/** Undefined where there is no container runtime. */
export const containersFor = async (suite: string): Promise<Containers | undefined> => {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${suite} in containers: skipped, there is no container runtime (${reason})\n`);
    return undefined;
  }
  const started: StartedTestContainer[] = [];
  const keep = <C extends StartedTestContainer>(container: C): C => {
    started.push(container);
    return container;
  };
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
      const container = keep(await server.start());
      return `esdb://${container.getHost()}:${container.getMappedPort(2113)}?tls=false`;
    },
    postgres: async (image) => {
      const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
      return keep(
        await new PostgreSqlContainer(image).withStartupTimeout(START_MS).start(),
      ).getConnectionUri();
    },
    stopAll: async () => {
      await Promise.all(started.map((container) => container.stop()));
    },
  };
};
