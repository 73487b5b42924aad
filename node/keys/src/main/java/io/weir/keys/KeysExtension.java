package io.weir.keys;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.keys.command.KeyCommands;
import io.weir.keys.directory.KeyMeters;
import io.weir.keys.directory.KnownKeys;
import io.weir.keys.directory.StoredSubjects;
import io.weir.keys.directory.StrandedKeys;
import io.weir.keys.door.ImportDoor;
import io.weir.keys.door.KeysDoor;
import io.weir.keys.door.RecordService;
import io.weir.keys.door.TenantsDoor;
import io.weir.keys.door.TokensDoor;
import io.weir.keys.identity.Identifier;
import io.weir.keys.store.RedisRecords;
import io.weir.node.admin.Stranding;
import io.weir.node.auth.KeyLookup;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.extension.Keys;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.LoopParts;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Door;
import io.weir.state.connection.RedisConnections;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Keys and tenants that are records of the shared state, not of the policy. */
public final class KeysExtension implements Keys {
  private static final Duration LONGEST = Duration.ofSeconds(5);
  private static final long LOOK_EVERY_MILLIS = 200;
  /** Keys that are known take at most a tenth of the memory. */
  private static final int HEAP_SHARE = 10;
  /** The most keys, and the most tenants, that are read before a policy is changed: some seconds. */
  private static final long MOST_RECORDS_READ = 200_000;

  @Override
  public String name() {
    return "keys";
  }

  @Override
  public Keys.Open open(NodeBase node) {
    RedisRecords records = new RedisRecords(node.connections().redis());
    KnownKeys known = new KnownKeys(
        records,
        node.policies(),
        Runtime.getRuntime().maxMemory() / HEAP_SHARE,
        System::nanoTime,
        new KeyMeters(node.meters()));
    known.look().join();
    return new Opened(
        node.vertx(),
        known,
        records.by(node.connections().otherRedis().apply(LONGEST)),
        Identifier.of(
            node.vertx(),
            new KeyLookup(node.policies(), known),
            known,
            node.policies().questions()));
  }

  @Override
  public List<Object> commands(KnownNodes nodes) {
    return KeyCommands.all(nodes);
  }

  @Override
  public Optional<Subject> subject(RedisConnections redis, Policy policy, String id) {
    return StoredSubjects.find(
        new RedisRecords(redis), policy, id, Clock.systemUTC().millis());
  }

  /** @param records for operators, whose calls may take longer than decisions */
  private record Opened(
      Vertx vertx, KnownKeys directory, RedisRecords records, Identifier identifier)
      implements Keys.Open {
    @Override
    public Stranding stranding() {
      return new StrandedKeys(vertx, records, directory::nowMillis, MOST_RECORDS_READ);
    }

    @Override
    public LoopExtension onLoop(LoopParts loop) {
      RecordService desk = new RecordService(loop.vertx(), records, directory, loop.node());
      List<Door> doors = List.of(
          new KeysDoor(desk), new TenantsDoor(desk), new TokensDoor(desk), new ImportDoor(desk));
      return LoopExtension.ofOperators(doors);
    }

    @Override
    public Future<?> start(NodeParts node) {
      vertx.setPeriodic(LOOK_EVERY_MILLIS, timer -> {
        var unused = directory.look();
      });
      return Future.succeededFuture();
    }
  }
}
