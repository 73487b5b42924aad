package io.weir.operators.page.door;

import io.weir.node.extension.LoopParts;
import io.weir.node.intake.Door;
import io.weir.state.connection.RedisConnections;
import java.util.List;

/** The doors of the page: its files, the session of its browser, and the draft of its operator. Immutable. */
public final class PageDoors {
  private final List<PageFile> files;
  private final boolean hasOwnPort;
  private final RedisDrafts drafts;

  /** @param hasOwnPort whether no other paths than those of operators are on the port of the page */
  public PageDoors(List<PageFile> files, boolean hasOwnPort, RedisConnections redis) {
    this.files = List.copyOf(files);
    this.hasOwnPort = hasOwnPort;
    this.drafts = new RedisDrafts(redis);
  }

  /** The doors of one event loop. */
  public List<Door> onLoop(LoopParts loop) {
    return List.of(
        new FilesDoor(files, hasOwnPort),
        new SessionDoor(loop, drafts),
        new DraftDoor(loop, drafts));
  }
}
