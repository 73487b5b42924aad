package io.weir.operators.page;

import io.weir.node.admin.Operators;
import io.weir.node.room.LoopParts;
import io.weir.node.room.LoopRoom;
import io.weir.node.room.NodeParts;
import io.weir.node.room.OpenRoom;
import io.weir.node.room.Room;
import io.weir.operators.page.door.FilesDoor;
import io.weir.operators.page.door.PageFile;
import io.weir.operators.page.door.SessionDoor;
import java.util.List;
import java.util.Optional;

/** The page of operators, on the port for operators. */
public final class PageRoom implements Room {
  @Override
  public String name() {
    return "page";
  }

  @Override
  public OpenRoom open(NodeParts node) {
    return new Opened(
        node.operators(), PageFile.all(), node.config().adminPort().isPresent());
  }

  private record Opened(Operators operators, List<PageFile> files, boolean hasOwnPort)
      implements OpenRoom {
    @Override
    public LoopRoom onLoop(LoopParts loop) {
      return new LoopRoom(
          List.of(),
          List.of(new FilesDoor(files, hasOwnPort), new SessionDoor(operators)),
          Optional.empty(),
          Optional.empty());
    }
  }
}
