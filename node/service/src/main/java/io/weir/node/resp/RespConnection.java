package io.weir.node.resp;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.weir.node.intake.OpenConnections.Requests;
import io.weir.node.intake.WorkBudget;
import io.weir.node.intake.WorkRounds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: its commands are carried out as they come, {@value #AT_ONCE} before the event loop reads other
 * connections again, and answered in their order, all answers that are ready in one write. Nothing more is read while {@value #MOST_OPEN} commands have no answer, or {@value #MOST_WAITING} bytes of
 * answers wait for one before them, or while the client does not read. Mutable; owned by one event loop.
 */
final class RespConnection implements RespClient, Requests {
  private static final Logger LOG = LoggerFactory.getLogger(RespConnection.class);
  /** The commands that are carried out at once. */
  static final int AT_ONCE = 16;

  private static final int MOST_OPEN = 256;
  private static final int MOST_WAITING = 64 << 10;
  private static final String NO_MEMORY = "ERR too many bytes of unfinished commands and answers";

  private final NetSocket socket;
  private final ConnectedClient client;
  private final ShownToken token;
  private final RespCommands commands;
  private final RespMemory memory;
  private final WorkBudget budget;
  private final RespReader reader = new RespReader();
  private final Queue<Open> open = new ArrayDeque<>();
  private final List<Runnable> goneActions = new ArrayList<>();
  private long begun;
  private int waiting; // bytes of answers
  private boolean isReading;
  private boolean isEnding;
  private boolean isGone;

  /**
   * @param id unique among all connections of the node
   * @param token of the client
   * @param memory of the connection
   * @param rounds of its event loop
   */
  RespConnection(
      long id,
      NetSocket socket,
      ShownToken token,
      RespCommands commands,
      RespMemory memory,
      WorkRounds rounds) {
    this.socket = socket;
    this.client = new ConnectedClient(id, socket);
    this.token = token;
    this.commands = commands;
    this.memory = memory;
    this.budget = new WorkBudget(rounds, AT_ONCE);
    socket.handler(this::arrived);
    socket.drainHandler(drained -> goOn());
    socket.shutdownHandler(stopping -> end());
  }

  @Override
  public int version() {
    return client.version();
  }

  @Override
  public boolean areOpen() {
    return !open.isEmpty() || socket.writeQueueFull();
  }

  @Override
  public long begun() {
    return begun;
  }

  @Override
  public boolean isGone() {
    return isGone;
  }

  @Override
  public Runnable onGone(Runnable action) {
    goneActions.add(action);
    return () -> goneActions.remove(action);
  }

  /** The connection is closed: nobody waits for answers. */
  void closed() {
    isGone = true;
    memory.free();
    List.copyOf(goneActions).forEach(Runnable::run);
  }

  private void arrived(Buffer bytes) {
    if (!isEnding) {
      reader.add(bytes);
      budget.renew();
      goOn();
    }
  }

  // Answers that are written make room for commands that have arrived already.
  private void goOn() {
    if (isReading || isGone) {
      return;
    }
    flush();
    boolean mayBeMore = reader.kept() > 0;
    while (mayBeMore && mayCarryOut()) {
      isReading = true;
      try {
        mayBeMore = carryOut();
      } finally {
        isReading = false;
      }
      flush();
    }
    if (isEnding) {
      return;
    }
    if (mayBeMore && !isFull()) {
      budget.goOnLater(this::goOn);
    }
    if (!memory.tryKeep(kept())) {
      dismiss();
    } else if (isFull() || budget.isDue()) {
      socket.pause();
    } else {
      socket.resume();
    }
  }

  private boolean mayCarryOut() {
    return !isEnding && !isFull() && !budget.isSpent();
  }

  // Commands under way are answered; later ones are not carried out.
  private void end() {
    isEnding = true;
    if (open.isEmpty()) {
      socket.close();
    }
  }

  private boolean isFull() {
    return open.size() >= MOST_OPEN || waiting >= MOST_WAITING || socket.writeQueueFull();
  }

  // The bytes that the socket keeps are at least so many when it is full.
  private long kept() {
    return (long) reader.kept() + waiting + (socket.writeQueueFull() ? MOST_WAITING : 0);
  }

  // Its bytes are kept no longer, so it does not wait for the commands under way.
  private void dismiss() {
    isEnding = true;
    refuse(RespException.last(NO_MEMORY));
    socket.close();
  }

  // Whether there may be more commands than a connection has open.
  private boolean carryOut() {
    try {
      while (mayCarryOut()) {
        List<String> words = reader.next();
        if (words == null) {
          return false;
        }
        budget.spend();
        begun++;
        answer(words);
      }
    } catch (RespException e) {
      refuse(e); // the bytes are no command
    }
    return true;
  }

  private void answer(List<String> words) {
    try {
      expect(carryOut(words));
    } catch (RespException e) {
      refuse(e);
    } catch (RuntimeException e) {
      LOG.warn("a command could not be carried out", e);
      expect(Future.succeededFuture(RespAnswer.error("ERR the command could not be carried out")));
    }
  }

  private void refuse(RespException refusal) {
    expect(Future.succeededFuture(RespAnswer.error(refusal.error())));
    isEnding |= refusal.isLast();
  }

  private void expect(Future<Buffer> answer) {
    Open expected = new Open();
    open.add(expected);
    answer.onComplete(done -> {
      Buffer bytes = done.succeeded()
          ? done.result()
          : RespAnswer.error("ERR the command could not be carried out");
      expected.answer = bytes;
      waiting += bytes.length();
      if (!isReading) {
        goOn();
      }
    });
  }

  private void flush() {
    Buffer ready = null;
    for (Open next = open.peek(); next != null && next.answer != null; next = open.peek()) {
      open.remove();
      waiting -= next.answer.length();
      ready = ready == null ? next.answer : ready.appendBuffer(next.answer);
    }
    if (ready != null) {
      Future<Void> written = socket.write(ready);
      if (isEnding && open.isEmpty()) {
        written.onComplete(done -> socket.close());
      }
    }
  }

  private Future<Buffer> carryOut(List<String> words) {
    token.count();
    String command = words.get(0).toUpperCase(Locale.ROOT);
    if (!Chatter.WITHOUT_TOKEN.contains(command)) {
      token.require();
    }
    isEnding |= command.equals("QUIT");
    return commands
        .named(command)
        .map(asking -> asking.answer(words, this))
        .orElseGet(() -> Future.succeededFuture(Chatter.answer(words, client, token)));
  }

  /** A command without its answer. */
  private static final class Open {
    private @Nullable Buffer answer;
  }
}
