package io.weir.state.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FaultsTest {
  @Test
  void anErrorWithoutAMessageIsNamedByItsClassAndNeverAsNull() {
    Throwable silent = new ClosedChannelException();
    assertThat(LinkClient.innermost(silent)).isEqualTo("ClosedChannelException");
    assertThat(LinkClient.innermost(new RedisConnectionException("Unable to connect", silent)))
        .isEqualTo("Unable to connect (ClosedChannelException)");
    assertThat(Faults.message(new IOException(" "))).isEqualTo("IOException");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      NOAUTH Authentication required.                                            | REFUSED
      WRONGPASS invalid username-password pair or user is disabled.              | REFUSED
      NOPERM this user has no permissions to run the 'evalsha' command           | REFUSED
      OOM command not allowed when used memory > 'maxmemory'.                    | REFUSED
      ERR Error running script: @user_script:3: -OOM command not allowed         | REFUSED
      READONLY You can't write against a read only replica.                      | UNREACHABLE
      ERR Error running script: @user_script:3: -READONLY You can't write        | UNREACHABLE
      LOADING Redis is loading the dataset in memory                             | UNREACHABLE
      MASTERDOWN Link with MASTER is down                                        | UNREACHABLE
      CLUSTERDOWN The cluster is down                                            | UNREACHABLE
      BUSY Redis is busy running a script.                                       | SLOW
      WRONGTYPE Operation against a key holding the wrong kind of value          | DATA
      MOVED 3999 127.0.0.1:6381                                                  | MISCONFIGURED
      CROSSSLOT Keys in request don't hash to the same slot                      | MISCONFIGURED
      NOSCRIPT No matching script.                                               | MISCONFIGURED
      ERR unknown command 'EVALSHA'                                              | MISCONFIGURED
      """)
  void errorsOfRedisAreNamed(String message, StoreFault expected) {
    RedisException error = new RedisCommandExecutionException(message);
    assertThat(Faults.of(error)).isEqualTo(expected);
    assertThat(Faults.of(new CompletionException(error))).isEqualTo(expected);
  }

  @Test
  void aServerThatDoesNotAnswerIsAnOutage() {
    assertThat(Faults.of(new RedisException("Currently not connected. Commands are rejected.")))
        .isEqualTo(StoreFault.UNREACHABLE);
    assertThat(Faults.of(new IOException("Connection reset by peer")))
        .isEqualTo(StoreFault.UNREACHABLE);
    assertThat(Faults.of(new RedisCommandTimeoutException("Command timed out")))
        .isEqualTo(StoreFault.SLOW);
    assertThat(Faults.of(new TimeoutException())).isEqualTo(StoreFault.SLOW);
  }

  @Test
  void aConnectionThatIsRefusedForItsPasswordIsNoOutage() {
    RedisException cause = new RedisCommandExecutionException("WRONGPASS invalid password");
    assertThat(Faults.of(new RedisConnectionException("Unable to connect", cause)))
        .isEqualTo(StoreFault.REFUSED);
  }

  @Test
  void anUnknownErrorIsNoOutage() {
    assertThat(Faults.of(new IllegalStateException("a fault of ours")).isOutage())
        .isFalse();
    StoreUnavailableException data = new StoreUnavailableException(StoreFault.DATA, "x", null);
    assertThat(Faults.of(new CompletionException(data))).isEqualTo(StoreFault.DATA);
  }
}
