package io.weir.operators.page;

import io.weir.node.extension.Extension;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.LoopParts;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.OpenExtension;
import io.weir.operators.page.door.FilesDoor;
import io.weir.operators.page.door.PageFile;
import io.weir.operators.page.door.SessionDoor;
import java.util.List;

/** The page of operators, on the port for operators. */
public final class PageExtension implements Extension {
  @Override
  public String name() {
    return "page";
  }

  @Override
  public OpenExtension open(NodeBase node) {
    return new Opened(PageFile.all(), node.config().listening().operators().isPresent());
  }

  private record Opened(List<PageFile> files, boolean hasOwnPort) implements OpenExtension {
    @Override
    public LoopExtension onLoop(LoopParts loop) {
      return LoopExtension.ofOperators(
          List.of(new FilesDoor(files, hasOwnPort), new SessionDoor(loop.node().operators())));
    }
  }
}
