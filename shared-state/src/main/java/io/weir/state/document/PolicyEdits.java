package io.weir.state.document;

import java.io.StringReader;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Changes single values of a document; everything else of its text, comments too, stays as it is. */
public final class PolicyEdits {
  private static final int MAX_DEPTH = 32;
  private static final int MOST_NAMED = 20;

  private PolicyEdits() {}

  /** A value cannot be replaced, with the place and what is there. */
  public static final class PathException extends Exception {
    private static final long serialVersionUID = 1L;

    PathException(String message) {
      super(message);
    }
  }

  /**
   * The text of a document with another value.
   *
   * @param text of a sound policy
   * @param path the names of the fields that lead to the value, with a slash before each; an item of a list is named by
   *     its {@code name}, its {@code id}, or its number from 0 on: {@code /buckets/requests/burstPeriod}
   * @param json the value as JSON: a number, a text, true or false
   */
  public static String replace(String text, String path, String json) throws PathException {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(PolicyDocuments.MAX_BYTES);
    options.setNestingDepthLimit(MAX_DEPTH);
    Node node;
    try {
      node = new Yaml(options).compose(new StringReader(text));
    } catch (YAMLException e) {
      throw new PathException(
          "the policy in force is no YAML, so that a value of it cannot be found: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
    if (!path.startsWith("/")) {
      throw new PathException("path: '%s' (expected: /field/field)".formatted(path));
    }
    String walked = "";
    for (String step : path.substring(1).split("/", -1)) {
      node = child(node, step, walked);
      walked += "/" + step;
    }
    if (!(node instanceof ScalarNode scalar)) {
      throw new PathException("%s: a %s (expected: a single value)"
          .formatted(walked, node instanceof SequenceNode ? "list" : "mapping"));
    }
    ScalarStyle style = scalar.getScalarStyle();
    if (style == ScalarStyle.LITERAL
        || style == ScalarStyle.FOLDED
        || scalar.getStartMark().getIndex() == scalar.getEndMark().getIndex()) {
      throw new PathException(
          "%s: a text of several lines, or nothing (expected: a value in one line)"
              .formatted(walked));
    }
    // Marks count characters beyond the basic plane once.
    int start = text.offsetByCodePoints(0, node.getStartMark().getIndex());
    int end = text.offsetByCodePoints(0, node.getEndMark().getIndex());
    return text.substring(0, start) + json + text.substring(end);
  }

  private static Node child(Node parent, String step, String walked) throws PathException {
    if (parent instanceof MappingNode mapping) {
      for (NodeTuple field : mapping.getValue()) {
        if (isScalar(field.getKeyNode(), step)) {
          return field.getValueNode();
        }
      }
      throw absent(walked + "/" + step, fields(mapping));
    }
    if (parent instanceof SequenceNode sequence) {
      List<Node> items = sequence.getValue();
      Optional<Node> named =
          items.stream().filter(item -> names(item).contains(step)).findFirst();
      if (named.isPresent()) {
        return named.get();
      }
      for (int i = 0; i < items.size(); i++) {
        if (Integer.toString(i).equals(step)) {
          return items.get(i);
        }
      }
      throw absent(
          walked + "/" + step,
          IntStream.range(0, items.size())
              .mapToObj(i -> names(items.get(i)).stream().findFirst().orElse(Integer.toString(i)))
              .toList());
    }
    throw new PathException("%s: a single value (expected: nothing after it)".formatted(walked));
  }

  private static PathException absent(String path, List<String> known) {
    return new PathException("%s: there is no such value (expected: %s)"
        .formatted(path, known.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))));
  }

  private static List<String> fields(MappingNode mapping) {
    return mapping.getValue().stream()
        .map(NodeTuple::getKeyNode)
        .filter(ScalarNode.class::isInstance)
        .map(key -> ((ScalarNode) key).getValue())
        .toList();
  }

  private static List<String> names(Node item) {
    return item instanceof MappingNode mapping
        ? mapping.getValue().stream()
            .filter(
                field -> isScalar(field.getKeyNode(), "name") || isScalar(field.getKeyNode(), "id"))
            .map(NodeTuple::getValueNode)
            .filter(ScalarNode.class::isInstance)
            .map(value -> ((ScalarNode) value).getValue())
            .toList()
        : List.of();
  }

  private static boolean isScalar(Node node, String value) {
    return node instanceof ScalarNode scalar && scalar.getValue().equals(value);
  }
}
