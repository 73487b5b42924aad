package io.weir.node.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.weir.node.auth.TokenGuard;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.WorkRounds;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What connections do in one iteration of their event loop, and after their end. */
@Tag("isolation")
final class RespConnectionTest {
  private static final String TOKEN = "a-token-of-the-test";
  private static final String ASK = "ASK\r\n";
  private static final String PONG = "+PONG\r\n";

  private final Queue<Runnable> nextIteration = new ArrayDeque<>();
  private final WorkRounds rounds = new WorkRounds(nextIteration::add);
  private final Bulkhead memory = new Bulkhead(1 << 20, 1 << 20, 1 << 20);
  private final List<String> written = new ArrayList<>();
  private final List<Promise<Buffer>> asked = new ArrayList<>();

  @Test
  void aPipelineIsCarriedOutInPartsAndOthersInBetween() {
    Client hostile = new Client("hostile");
    Client other = new Client("other");
    hostile.sends("PING\r\n".repeat(1000));
    assertThat(written).containsExactly("hostile" + PONG.repeat(RespConnection.AT_ONCE));
    assertThat(hostile.isPaused).isTrue();
    other.sends("PING\r\n");
    assertThat(written).last().isEqualTo("other" + PONG);
    int iterations = 0;
    while (!nextIteration.isEmpty()) {
      nextIteration.remove().run();
      iterations++;
    }
    assertThat(iterations).isBetween(1000 / RespConnection.AT_ONCE, 1000);
    assertThat(String.join("", written).split("PONG", -1)).hasSize(1002);
    assertThat(hostile.isPaused).isFalse();
  }

  @Test
  void aConnectionThatWaitsForARoundIsNotServedBeforeItThoughMoreArrives() {
    Client hostile = new Client("hostile");
    for (int i = 0; i < 10; i++) {
      hostile.sends("PING\r\n".repeat(RespConnection.AT_ONCE));
    }
    assertThat(String.join("", written).split("PONG", -1)).hasSize(RespConnection.AT_ONCE + 1);
  }

  @Test
  void aConnectionThatIsClosedCarriesOutNothingMoreAndKeepsNoMemory() {
    Client client = new Client("client");
    client.sends(ASK.repeat(RespConnection.AT_ONCE) + ASK.repeat(1500));
    assertThat(memory.taken()).isPositive();
    client.connection.closed();
    List.copyOf(asked).forEach(answer -> answer.complete(Buffer.buffer("+1\r\n")));
    while (!nextIteration.isEmpty()) {
      nextIteration.remove().run();
    }
    assertThat(asked).hasSize(RespConnection.AT_ONCE);
    assertThat(memory.taken()).isZero();
  }

  private final class Client {
    private final String name;
    private final RespConnection connection;
    private Handler<Buffer> handler = bytes -> {};
    private boolean isPaused;

    Client(String name) {
      this.name = name;
      connection = new RespConnection(
          1,
          socket(),
          new ShownToken(new TokenGuard(Optional.of(TOKEN)), () -> {}),
          new RespCommands(Map.of("ASK", (words, client) -> {
            Promise<Buffer> answer = Promise.promise();
            asked.add(answer);
            return answer.future();
          })),
          new RespMemory(memory, name),
          rounds);
      sends("AUTH " + TOKEN + "\r\n");
      written.clear();
    }

    void sends(String text) {
      handler.handle(Buffer.buffer(text.getBytes(ISO_8859_1)));
    }

    @SuppressWarnings("unchecked")
    private NetSocket socket() {
      return (NetSocket) Proxy.newProxyInstance(
          NetSocket.class.getClassLoader(),
          new Class<?>[] {NetSocket.class},
          (self, method, arguments) -> switch (method.getName()) {
            case "handler" -> {
              handler = (Handler<Buffer>) arguments[0];
              yield self;
            }
            case "write" -> {
              written.add(name + arguments[0]);
              yield Future.succeededFuture();
            }
            case "pause", "resume" -> {
              isPaused = method.getName().equals("pause");
              yield self;
            }
            case "writeQueueFull" -> false;
            case "remoteAddress", "localAddress" -> SocketAddress.inetSocketAddress(1, "127.0.0.1");
            default -> self;
          });
    }
  }
}
