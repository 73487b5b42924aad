package io.weir.operators.page;

import io.weir.node.extension.Extension;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.OpenExtension;
import io.weir.operators.page.door.PageDoors;
import io.weir.operators.page.door.PageFile;

/** The page of operators, on the port for operators. */
public final class PageExtension implements Extension {
  @Override
  public String name() {
    return "page";
  }

  @Override
  public OpenExtension open(NodeBase node) {
    PageDoors doors = new PageDoors(
        PageFile.all(),
        node.config().listening().operators().isPresent(),
        node.connections().redis());
    return loop -> LoopExtension.ofOperators(doors.onLoop(loop));
  }
}
