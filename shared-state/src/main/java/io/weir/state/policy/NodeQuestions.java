package io.weir.state.policy;

import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks all nodes of the cluster, this one included, what only each of them knows. Safe for use by many threads; never
 * blocks; owned by its {@link NodeTopics}.
 */
public final class NodeQuestions {
  private static final Logger LOG = LoggerFactory.getLogger(NodeQuestions.class);
  private static final Duration ANSWERED_WITHIN = Duration.ofMillis(500);
  private static final int MOST_OPEN = 64;
  private static final int PARTS = 4;

  private final RedissonClient redisson;
  private final String node;
  private final Map<String, Function<String, CompletionStage<String>>> topics =
      new ConcurrentHashMap<>();
  private final Map<String, Open> open = new ConcurrentHashMap<>();
  private boolean followsAnswers;
  private boolean followsQuestions;

  NodeQuestions(RedissonClient redisson, String node) {
    this.redisson = redisson;
    this.node = node;
  }

  /**
   * The answers that arrived in time.
   *
   * @param asked the number of nodes that heard the question
   */
  public record Answers(int asked, List<String> texts) {
    public Answers {
      texts = List.copyOf(texts);
    }
  }

  /** Not asked, as too many questions are open; says nothing about Redis or the nodes. */
  public static final class TooManyQuestionsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooManyQuestionsException() {
      super("too many questions to the nodes are open");
    }
  }

  /** The name of this node, unique in the cluster. */
  public String node() {
    return node;
  }

  /** Answers the questions of a topic with this function, which is called on a thread of Redisson. */
  public void answer(String topic, Function<String, CompletionStage<String>> by) {
    topics.put(topic, by);
  }

  /**
   * Asks all nodes, and waits for those that answer within half a second.
   *
   * @param topic one word
   * @return fails with {@link StoreUnavailableException} if nobody could be asked; with {@link
   *     TooManyQuestionsException} if too many questions of this node are open
   */
  public CompletionStage<Answers> ask(String topic, String text) {
    if (open.size() >= MOST_OPEN) {
      return CompletableFuture.failedFuture(new TooManyQuestionsException());
    }
    String id = UUID.randomUUID().toString();
    Open mine = new Open();
    open.put(id, mine);
    return channel(RedisKeys.QUESTIONS)
        .publishAsync(String.join(" ", id, node, topic, text))
        .thenCompose(receivers -> mine.from(receivers.intValue()))
        .handle((answers, error) -> {
          open.remove(id);
          if (error != null) {
            throw new StoreUnavailableException(
                Faults.of(error), "the nodes could not be asked: " + error.getMessage(), error);
          }
          return answers;
        });
  }

  /** Hears questions from now on, and answers to its own; waits for Redis. Repeated after a failure. */
  synchronized void listen() {
    if (!followsAnswers) {
      channel(RedisKeys.answersTo(node)).addListener(String.class, (channel, text) -> {
        String[] parts = text.split(" ", 2);
        Optional.ofNullable(open.get(parts[0])).ifPresent(asked -> asked.add(parts[1]));
      });
      followsAnswers = true;
    }
    if (!followsQuestions) {
      channel(RedisKeys.QUESTIONS).addListener(String.class, (channel, text) -> receive(text));
      followsQuestions = true;
    }
  }

  private void receive(String question) {
    String[] parts = question.split(" ", PARTS);
    Function<String, CompletionStage<String>> by =
        parts.length == PARTS ? topics.get(parts[2]) : null;
    if (by == null) {
      LOG.debug("a question that nobody here answers");
      return;
    }
    var unused = by.apply(parts[PARTS - 1])
        .thenCompose(
            answer -> channel(RedisKeys.answersTo(parts[1])).publishAsync(parts[0] + " " + answer))
        .exceptionally(error -> {
          LOG.warn("a question of another node was not answered: {}", error.getMessage());
          return 0L;
        });
  }

  private RTopic channel(String name) {
    return redisson.getTopic(name, StringCodec.INSTANCE);
  }

  /** A question that waits for its answers; the last one may come before the number of nodes is known. */
  private static final class Open {
    private final Queue<String> texts = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Boolean> all = new CompletableFuture<>();
    private volatile int asked = Integer.MAX_VALUE;

    void add(String text) {
      texts.add(text);
      end();
    }

    CompletableFuture<Answers> from(int nodes) {
      asked = nodes;
      end();
      return all.completeOnTimeout(false, ANSWERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
          .thenApply(complete -> new Answers(nodes, List.copyOf(texts)));
    }

    private void end() {
      if (texts.size() >= asked) {
        all.complete(true);
      }
    }
  }
}
