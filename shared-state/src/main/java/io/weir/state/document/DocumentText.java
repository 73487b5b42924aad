package io.weir.state.document;

import java.util.List;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.CollectionNode;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Puts values into the text of a YAML or JSON document, at the places of its nodes. The document has no aliases. */
final class DocumentText {
  private DocumentText() {}

  /** Whether nothing is written for the node: it has its default. */
  static boolean isEmpty(Node node) {
    return node instanceof ScalarNode
        && node.getStartMark().getIndex() == node.getEndMark().getIndex();
  }

  /** The text with another value in place of a node. */
  static String replaced(String text, Node node, String json) {
    int start = index(text, node.getStartMark());
    if (isEmpty(node)) {
      return text.substring(0, start) + " " + json + text.substring(start);
    }
    // In a block, the items may be no further right than the field: a flow value has to be.
    String indent = isBlock(node) ? "  " : "";
    return text.substring(0, start) + indent + json + text.substring(end(text, node));
  }

  /** The text with another field, in a mapping or in place of an empty value. */
  static String added(String text, Node node, List<String> steps, String json) {
    boolean isJson = text.stripLeading().startsWith("{");
    String value = json;
    for (int i = steps.size() - 1; i > 0; i--) {
      value = "{ " + field(steps.get(i), value, isJson) + " }";
    }
    String field = field(steps.get(0), value, isJson);
    if (!(node instanceof MappingNode mapping) || mapping.getValue().isEmpty()) {
      return replaced(text, node, "{ " + field + " }");
    }
    List<NodeTuple> fields = mapping.getValue();
    int end = end(text, fields.get(fields.size() - 1).getValueNode());
    return isBlock(mapping)
        ? afterLine(text, end, column(fields.get(0).getKeyNode()), field)
        : text.substring(0, end) + ", " + field + text.substring(end);
  }

  private static String field(String name, String value, boolean isJson) {
    return isJson ? "\"%s\": %s".formatted(name, value) : "%s: %s".formatted(name, value);
  }

  // A comment behind the last value stays with it.
  private static String afterLine(String text, int from, int column, String field) {
    int newline = text.indexOf('\n', from);
    int end = newline < 0 ? text.length() : newline;
    return text.substring(0, end) + "\n" + " ".repeat(column) + field + text.substring(end);
  }

  private static boolean isBlock(Node node) {
    return node instanceof CollectionNode<?> collection
        && collection.getFlowStyle() == FlowStyle.BLOCK;
  }

  private static int column(Node node) {
    return node.getStartMark().getColumn();
  }

  // A block ends where the next token begins: comments behind its last value are not part of it.
  private static int end(String text, Node node) {
    Node last = node;
    while (isBlock(last)) {
      last = lastOf(last);
    }
    int end = index(text, last.getEndMark());
    boolean isOfLines = last instanceof ScalarNode scalar
        && (scalar.getScalarStyle() == ScalarStyle.LITERAL
            || scalar.getScalarStyle() == ScalarStyle.FOLDED);
    while (isOfLines && Character.isWhitespace(text.charAt(end - 1))) {
      end--;
    }
    return end;
  }

  private static Node lastOf(Node block) {
    if (block instanceof MappingNode mapping) {
      List<NodeTuple> fields = mapping.getValue();
      return fields.get(fields.size() - 1).getValueNode();
    }
    List<Node> items = ((SequenceNode) block).getValue();
    return items.get(items.size() - 1);
  }

  // Marks count characters beyond the basic plane once.
  private static int index(String text, Mark mark) {
    return text.offsetByCodePoints(0, mark.getIndex());
  }
}
