package io.weir.windows;

import io.vertx.core.Future;
import io.weir.node.extension.Extension;
import io.weir.node.extension.Inspection;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.LoopParts;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.NodeParts;
import io.weir.node.extension.OpenExtension;
import io.weir.state.audit.DriftCheck;
import io.weir.state.inspect.StateInspector;
import java.util.List;
import java.util.Map;

/** Windows of ordered ranges, for planners and workers. */
public final class WindowsExtension implements Extension {
  @Override
  public String name() {
    return "windows";
  }

  @Override
  public OpenExtension open(NodeBase node) {
    return new Opened(
        node, new RedisWindows(node.connections().redis()), new WindowMeters(node.meters()));
  }

  @Override
  public List<Inspection> inspections() {
    return List.of(new Inspection(
        "window",
        "a window of ranges",
        WindowsExtension::show,
        WindowWords::of,
        policy -> Windows.of(policy).keySet(),
        new Inspection.Sentences("No range of %s was opened lately.", "there is no window %s")));
  }

  @Override
  public List<DriftCheck> driftChecks() {
    return List.of(WindowDrift.CHECK);
  }

  private static Map<String, String> show(StateInspector inspector, String name) {
    List<String> keys = WindowKeys.of(name);
    Map<String, String> fields = inspector.show(keys.get(0));
    inspector.putCount(fields, "todo", keys.get(3), "ranges to be claimed");
    inspector.putCount(fields, "times", keys.get(4), "ranges claimed, or to be tried again");
    return fields;
  }

  private record Opened(NodeBase node, WindowStore store, WindowMeters meters)
      implements OpenExtension {
    @Override
    public LoopExtension onLoop(LoopParts loop) {
      return LoopExtension.of(
          new WindowDoor(loop.vertx(), node.policies(), store, loop.services(), meters));
    }

    @Override
    public Future<?> start(NodeParts parts) {
      new WindowWatch(node.vertx(), node.policies(), store, meters).start();
      return Future.succeededFuture();
    }
  }
}
