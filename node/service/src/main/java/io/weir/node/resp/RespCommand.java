package io.weir.node.resp;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** A command that asks for a decision. */
@FunctionalInterface
interface RespCommand {
  /**
   * The answer to a command; throws {@link RespException} if it is none.
   *
   * @param words the command's own name first
   * @param client that asks
   */
  Future<Buffer> answer(List<String> words, RespClient client);
}
