package io.weir.node.resp;

import io.weir.node.intake.WaitingRoom;

/** The client of a connection, as commands see it. */
interface RespClient extends WaitingRoom.Caller {
  /** The version of the protocol that it speaks. */
  int version();
}
