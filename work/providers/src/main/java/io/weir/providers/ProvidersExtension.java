package io.weir.providers;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.extension.Inspection;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.LoopParts;
import io.weir.node.extension.NamedUpstreams;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.NodeParts;
import io.weir.providers.queue.ProviderMeters;
import io.weir.providers.rule.Upstreams;
import io.weir.providers.slot.HealthWatch;
import io.weir.providers.slot.KeyRestDoor;
import io.weir.providers.slot.KeyRests;
import io.weir.providers.slot.PermitDoor;
import io.weir.providers.slot.ProviderGate;
import io.weir.providers.slot.ProviderSlots;
import io.weir.providers.store.RedisProviders;
import io.weir.providers.store.UpstreamDrift;
import io.weir.providers.store.UpstreamKeys;
import io.weir.state.audit.DriftCheck;
import io.weir.state.inspect.StateInspector;
import java.util.List;
import java.util.Map;

/** Upstreams made of providers, and the send slots of their keys. */
public final class ProvidersExtension implements NamedUpstreams {
  private static final long FORGET_EVERY_MILLIS = 60_000;

  @Override
  public String name() {
    return "providers";
  }

  @Override
  public NamedUpstreams.Open open(NodeBase node) {
    RedisProviders store = new RedisProviders(node.connections().redis());
    ProviderMeters meters = new ProviderMeters(node.meters());
    KeyRests rests = new KeyRests();
    return new Opened(
        node, store, meters, rests, new ProviderSlots(node.policies(), store, meters, rests));
  }

  @Override
  public List<Inspection> inspections() {
    return List.of(new Inspection(
        "upstream",
        "an upstream of providers",
        ProvidersExtension::show,
        UpstreamWords::of,
        policy -> Upstreams.of(policy).keySet(),
        new Inspection.Sentences(
            "Nothing was sent to providers of %s lately.", "there is no upstream %s")));
  }

  @Override
  public List<DriftCheck> driftChecks() {
    return List.of(UpstreamDrift.CHECK);
  }

  private static Map<String, String> show(StateInspector inspector, String name) {
    List<String> keys = UpstreamKeys.of(name);
    Map<String, String> fields = inspector.show(keys.get(0));
    inspector.putCount(fields, "inflight", keys.get(1), "under way");
    return fields;
  }

  /** The extension of one node. */
  private record Opened(
      NodeBase node,
      RedisProviders store,
      ProviderMeters meters,
      KeyRests rests,
      ProviderSlots slots)
      implements NamedUpstreams.Open {
    @Override
    public LoopExtension onLoop(LoopParts loop) {
      ProviderGate gate = slots.gate(loop.vertx());
      return LoopExtension.of(
              new PermitDoor(node.policies(), gate, slots.lessons(gate), loop.services()))
          .withOperatorsDoors(new KeyRestDoor(loop.vertx(), loop.node(), store, rests));
    }

    @Override
    public Future<?> start(NodeParts parts) {
      Vertx vertx = node.vertx();
      vertx.setPeriodic(
          FORGET_EVERY_MILLIS,
          due -> meters.keep(Upstreams.of(node.policies().current().policy())));
      return vertx.deployVerticle(new HealthWatch(node.policies(), store, meters));
    }
  }
}
