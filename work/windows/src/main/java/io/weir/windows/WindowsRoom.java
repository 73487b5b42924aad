package io.weir.windows;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.room.Inspection;
import io.weir.node.room.LoopParts;
import io.weir.node.room.LoopRoom;
import io.weir.node.room.NodeParts;
import io.weir.node.room.OpenRoom;
import io.weir.node.room.Room;
import io.weir.state.inspect.StateInspector;
import java.util.List;
import java.util.Map;

/** Windows of ordered ranges, for planners and workers. */
public final class WindowsRoom implements Room {
  @Override
  public String name() {
    return "windows";
  }

  @Override
  public OpenRoom open(NodeParts node) {
    return new Opened(node, new RedisWindows(node.redis()), new WindowMeters(node.meters()));
  }

  @Override
  public List<Inspection> inspections() {
    return List.of(new Inspection(
        "window",
        "a window of ranges",
        WindowsRoom::show,
        policy -> Windows.of(policy).keySet(),
        "No range of %s was opened lately."));
  }

  private static Map<String, String> show(StateInspector inspector, String name) {
    List<String> keys = WindowKeys.of(name);
    Map<String, String> fields = inspector.show(keys.get(0));
    inspector.putCount(fields, "todo", keys.get(3), "ranges to be claimed");
    inspector.putCount(fields, "times", keys.get(4), "ranges claimed, or to be tried again");
    return fields;
  }

  private record Opened(NodeParts node, WindowStore store, WindowMeters meters)
      implements OpenRoom {
    @Override
    public LoopRoom onLoop(LoopParts loop) {
      return LoopRoom.of(
          new WindowDoor(loop.vertx(), node.policies(), store, loop.services(), meters));
    }

    @Override
    public Future<?> start(Vertx vertx) {
      new WindowWatch(vertx, node.policies(), store, meters).start();
      return Future.succeededFuture();
    }
  }
}
